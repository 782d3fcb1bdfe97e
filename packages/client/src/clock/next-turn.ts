/** For so long may calls follow each other without the event loop going around: sockets and timers wait meanwhile. */
const longestTurnMs = 5;

/** Lets the event loop go around once. Browsers have no `setImmediate`. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => afterTurn(resolve));
}

/**
 * Something to wait for when there has been no end of work for a while, so that others have their turn; mostly nothing. For
 * what would otherwise go on and on by promises alone, such as calls of a server in the same process.
 */
export function fairTurn(): Promise<void> | undefined {
  return isLongTurn() ? othersTurn() : undefined;
}

async function othersTurn(): Promise<void> {
  while (isLongTurn()) await nextTurn();
}

function afterTurn(callback: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(callback);
  else setTimeout(callback, 0);
}

/** Of the event loop, of which a thread has one: when the present turn began, as far as anybody asked. */
let turnBegan: number | undefined;

function isLongTurn(): boolean {
  const now = performance.now();
  if (turnBegan !== undefined) return now - turnBegan > longestTurnMs;
  turnBegan = now;
  afterTurn(() => {
    turnBegan = undefined;
  });
  return false;
}
