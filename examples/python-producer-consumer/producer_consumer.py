"""Producers and consumers over two bounded queues with a router between them that keeps urgent jobs apart."""
from strandline import Array, Fifo, Model, Process, Range, Record, action, invariant, measure, param, require

producers = param(2)
jobs = param(3)


class ProducerConsumer(Model):
    class Job(Record):
        owner: Range[0, producers - 1]
        number: Range[0, jobs - 1]
        urgent: bool

    inbox: Fifo[Job, 2]
    outbox: Array[Fifo[Job, 2], 2]
    done: Array[Range[0, jobs], producers]
    overtaken: bool

    class Producer(Process, count=producers):
        made: Range[0, jobs]

        @action
        def produce(m, me, urgent: bool):
            require(me.made < m.jobs)
            m.inbox.put(m.Job(me, me.made, urgent))
            me.made += 1

    @action
    def route(m):
        job = m.inbox.get()
        if job.urgent:
            m.outbox[0].put(job)
        else:
            m.outbox[1].put(job)

    class Consumer(Process, count=2):
        @action
        def consume(m, me):
            job = m.outbox[me].get()
            if job.number != m.done[job.owner]:
                m.overtaken = True
            m.done[job.owner] += 1

    @action
    def finished(m): require(all(d == m.jobs for d in m.done))

    @invariant
    def never_more_than_made(m): return all(m.done[p] <= m.Producer[p].made for p in range(m.producers))
    @invariant
    def order_is_kept(m):
        """Violated on purpose: an urgent job overtakes an earlier one of the same producer."""
        return not m.overtaken
    @measure(monotone=True)
    def progress(m): return sum(p.made for p in m.Producer) + sum(d for d in m.done)
