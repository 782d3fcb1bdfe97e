import { constants } from 'node:os';
import type { Signal } from '@coxswain/cri';

const realtimeMin = 34;
const realtimeMax = 64;

/** The number of a signal by the name that an image gives it: `SIGTERM`, `TERM`, `15`, `SIGRTMIN+3`. Throws for others. */
export function signalNumber(name: string): number {
  if (/^\d+$/.test(name)) {
    const number = Number(name);
    if (number >= 1 && number <= realtimeMax) return number;
    throw new Error(`invalid signal ${JSON.stringify(name)}`);
  }
  const upper = name.toUpperCase();
  const full = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  const realtime = /^SIGRT(MIN|MAX)(?:([+-])(\d+))?$/.exec(full);
  if (realtime) {
    const offset = Number(realtime[3] ?? 0) * (realtime[2] === '-' ? -1 : 1);
    const number = (realtime[1] === 'MIN' ? realtimeMin : realtimeMax) + offset;
    if (number >= realtimeMin && number <= realtimeMax) return number;
  }
  const number = Object.entries(constants.signals).find(([known]) => known === full)?.[1];
  if (number === undefined) throw new Error(`invalid signal ${JSON.stringify(name)}`);
  return number;
}

/** The name of a signal from CRI's, which writes `SIGRTMIN+3` as `SIGRTMINPLUS3`. */
export const signalNameOf = (signal: Signal): string => signal.replace('PLUS', '+').replace('MINUS', '-');

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** CRI's name of a signal that an image names. */
export function criSignalOf(name: string): Signal {
  const number = signalNumber(name);
  if (number >= realtimeMin) {
    const [up, down] = [number - realtimeMin, realtimeMax - number];
    if (up === 0) return 'SIGRTMIN';
    if (down === 0) return 'SIGRTMAX';
    return (up <= 15 ? `SIGRTMINPLUS${up}` : `SIGRTMAXMINUS${down}`) as Signal;
  }
  return (names.get(number) ?? 'RUNTIME_DEFAULT') as Signal;
}
