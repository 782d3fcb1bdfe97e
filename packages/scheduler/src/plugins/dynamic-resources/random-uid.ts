/** Returns a version 4 UUID. `random` returns numbers in [0, 1). */
export function randomUid(random: () => number): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => {
    const digit = Math.floor(random() * 16);
    return (place === 'x' ? digit : (digit % 4) + 8).toString(16);
  });
}
