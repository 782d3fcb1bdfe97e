/** Returns the longest time in milliseconds that the event loop was blocked during the action. */
export async function longestWait(action: () => Promise<void>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const turn = (): void => {
    look();
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await action();
  look();
  isDone = true;
  return longest;
}
