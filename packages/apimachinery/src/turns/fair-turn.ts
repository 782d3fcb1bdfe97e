import { type EventLoop, nextTurn } from './event-loop.ts';

/** For so long may calls follow each other without the event loop going around: sockets and timers wait meanwhile. */
const longestTurnMs = 5;

/** When the present turn of each loop began, as far as anybody asked. */
const turnBegan = new WeakMap<EventLoop, number>();

/**
 * Something to wait for when there has been no end of work for a while, so that others have their turn; mostly nothing. For
 * what would otherwise go on and on by promises alone, such as calls of a server in the same process.
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
