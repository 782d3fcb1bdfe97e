import { joinChunks } from '../transport/response-body.ts';

/** Longer lines are split, so that an endless line does not need more memory than this. */
const maxLineBytes = 1024 * 1024;

const newline = 0x0a;

/** A line of text. */
export interface Line {
  readonly text: string;
  /** False when the stream ended, or the line was split, before a newline. */
  readonly isWhole: boolean;
}

/** Splits chunks of UTF-8 into lines. Text without a newline at the end is a line as well. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (last: Uint8Array): string => {
    const text = decoder.decode(parts.length === 0 ? last : joinChunks([...parts, last]));
    parts = [];
    length = 0;
    return text;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield { text: take(chunk.subarray(start, end)), isWhole: true };
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length === 0) continue;
    parts.push(rest);
    length += rest.length;
    if (length >= maxLineBytes) yield { text: take(new Uint8Array(0)), isWhole: false };
  }
  if (length > 0) yield { text: take(new Uint8Array(0)), isWhole: false };
}
