import { type EventLoop, nextTurn } from './event-loop.ts';

/** The maximum time for which calls may follow each other without a new turn of the event loop: sockets and timers wait meanwhile. */
const longestTurnMs = 5;

/** When the current turn of each loop began: the time of the first call of `isLongTurn` in it. */
const turnBegan = new WeakMap<EventLoop, number>();

/**
 * Returns a promise to await when the current turn of the event loop has lasted too long, so that other work gets its turn; mostly
 * undefined. For code that would otherwise continue by promises alone, such as calls of a server in the same process.
 */
export function fairTurn(loop: EventLoop): Promise<void> | undefined {
  return isLongTurn(loop) ? othersTurn(loop) : undefined;
}

async function othersTurn(loop: EventLoop): Promise<void> {
  while (isLongTurn(loop)) await nextTurn(loop);
}

function isLongTurn(loop: EventLoop): boolean {
  const now = loop.workedMs();
  const began = turnBegan.get(loop);
  if (began !== undefined) return now - began > longestTurnMs;
  turnBegan.set(loop, now);
  loop.onNextTurn(() => turnBegan.delete(loop));
  return false;
}
