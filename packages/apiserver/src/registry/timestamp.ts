let lastSecond = 0;
let lastText = '';

/** A metav1.Time: seconds, in UTC. Most calls are of the same second as the one before. */
export function timestamp(date: Date): string {
  const second = Math.floor(date.getTime() / 1000);
  if (second !== lastSecond) {
    lastText = new Date(second * 1000).toISOString().replace('.000Z', 'Z');
    lastSecond = second;
  }
  return lastText;
}
