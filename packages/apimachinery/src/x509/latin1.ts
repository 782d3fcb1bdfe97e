/** The number of characters converted to a string at once; more might exceed the stack. */
const chunkLength = 8192;

/** Returns the text with one character for each byte, of the same code. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += chunkLength) {
    // A spread would use an iterator, which takes ten times as long.
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(i, i + chunkLength));
  }
  return text;
}
