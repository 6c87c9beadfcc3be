/* A producer wakes a consumer that sleeps on a flag: the wake-up between test and sleep is lost. */
bool ready, asleep;
byte consumed;

inline sleep(flag) {
#ifdef FIXED
  atomic { if :: ready -> skip :: else -> flag = true fi };
#else
  if
  :: ready -> goto awake
  :: else -> skip                 /* here the producer can be faster */
  fi;
  flag = true;
#endif
  (!flag);
awake:
  skip
}

active proctype Consumer() {
  do
  :: consumed < 2 -> sleep(asleep); atomic { ready -> ready = false; consumed++ }
  :: else -> break
  od
}

active proctype Producer() {
  byte made;
  for (made : 1 .. 2) {
    atomic { !ready -> ready = true };
    asleep = false
  }
}
