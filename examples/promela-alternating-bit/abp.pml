/* The alternating bit protocol over channels that lose messages; a timeout repeats the last message. */
#define N 3                       /* packets */

mtype = { data, ack };
chan forth = [1] of { mtype, bit };
chan back = [1] of { mtype, bit };
byte sent, received;

active proctype Sender() {
  bit expected;
  do
  :: sent < N ->
    forth!data(expected);
wait:
    if
    :: back?ack,eval(expected) -> sent++; expected = 1 - expected
    :: back?ack,_ -> goto wait    /* an acknowledgement that came twice */
    :: timeout -> forth!data(expected); goto wait
    fi
  :: else -> break
  od
}

active proctype Receiver() {
  bit expected, b;
end:
  do
  :: forth?data(b) ->
    atomic { if :: b == expected -> received++; expected = 1 - expected :: else fi };
    assert(received == sent || received == sent + 1);
    back!ack(b)
  od
}

active proctype Loss() {
end:
  do
  :: forth?_,_
  :: back?_,_
  od
}

ltl in_order { [] (received >= sent) }
ltl finished { [] (sent == N -> received == N) }
