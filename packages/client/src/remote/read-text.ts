/** Error messages are short. */
const maxBytes = 64 * 1024;

/** Returns the text of a stream, up to about `maxBytes`. Never rejects: on an error, returns the text so far. */
export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of chunks) {
      if (text.length < maxBytes) text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    // Returns the text read so far.
  }
  return text.trim();
}
