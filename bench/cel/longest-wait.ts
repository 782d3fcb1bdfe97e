/** The longest time in milliseconds that the process did nothing else while it did this. */
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
