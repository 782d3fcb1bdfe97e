/** Returns the array itself if it is long enough, otherwise a longer copy with the new elements set to `value`. */
export function grown(array: Int32Array<ArrayBuffer>, length: number, value = 0): Int32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const copy = new Int32Array(Math.max(length, Math.min(array.length * 2, array.length + 1024)));
  copy.set(array);
  copy.fill(value, array.length);
  return copy;
}
