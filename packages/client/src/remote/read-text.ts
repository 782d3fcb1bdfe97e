/** A complaint is a sentence. */
const maxBytes = 64 * 1024;

/** What a stream says until it ends, in whatever way; at most its beginning. Never rejects. */
export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of chunks) {
      if (text.length < maxBytes) text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    // What came before counts.
  }
  return text.trim();
}
