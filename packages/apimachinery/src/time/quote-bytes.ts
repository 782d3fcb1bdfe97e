const encoder = new TextEncoder();

/** Quotes a string as Go's time package does: every byte that is not plain ASCII is escaped by itself. */
export function quoteBytes(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replace(/[^ -\x7f]+/g, (run) => {
    let hex = '';
    for (const byte of encoder.encode(run)) hex += `\\x${byte.toString(16).padStart(2, '0')}`;
    return hex;
  });
  return `"${escaped}"`;
}
