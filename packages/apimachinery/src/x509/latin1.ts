/** How many characters are put together at once; more might not fit on the stack. */
const chunkLength = 8192;

/** The text that has one character for each byte, of the same number. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += chunkLength) {
    // A spread would go through an iterator, which takes ten times as long.
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(i, i + chunkLength));
  }
  return text;
}
