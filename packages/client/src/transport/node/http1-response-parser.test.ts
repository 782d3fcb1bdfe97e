import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Http1ResponseParser } from './http1-response-parser.ts';

interface Answer {
  readonly body: string;
  readonly chunks: readonly number[] | undefined;
}

const answers = fc.array(
  fc.record({
    body: fc.string({ unit: 'grapheme', maxLength: 60 }),
    chunks: fc.option(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 6 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 4 },
);

function write({ body, chunks }: Answer): Buffer {
  const bytes = Buffer.from(body);
  if (!chunks) return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]);
  const parts = [Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n')];
  let at = 0;
  for (const length of [...chunks, bytes.length]) {
    const part = bytes.subarray(at, at + length);
    at += part.length;
    if (part.length > 0) parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

describe('Http1ResponseParser', () => {
  it('parses successive responses from any chunks', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.integer({ min: 1, max: 30 })), (wanted, cuts) => {
        const bodies: string[] = [];
        let body: Buffer[] = [];
        const parser = new Http1ResponseParser({
          onHead: ({ status }) => expect(status).toBe(200),
          onBody: (chunk) => body.push(chunk),
          onEnd: () => bodies.push(Buffer.concat(body.splice(0)).toString()),
        });
        for (const answer of wanted) {
          parser.begin('GET');
          let rest = write(answer);
          for (const cut of cuts) {
            if (rest.length > 0) parser.push(rest.subarray(0, cut));
            rest = rest.subarray(cut);
          }
          if (rest.length > 0) parser.push(rest);
        }
        body = [];
        expect(bodies).toEqual(wanted.map((answer) => answer.body));
      }),
    );
  });

  it('expects no body after HEAD, and treats __proto__ as an ordinary name', () => {
    let headers: Record<string, unknown> = {};
    let hasEnded = false;
    const parser = new Http1ResponseParser({
      onHead: (head) => {
        headers = head.headers;
      },
      onBody: () => expect.unreachable(),
      onEnd: () => {
        hasEnded = true;
      },
    });
    parser.begin('HEAD');
    parser.push(
      Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n__proto__: x\r\nWarning: a\r\nwarning: b\r\n\r\n'),
    );
    expect(hasEnded).toBe(true);
    expect(Object.getPrototypeOf(headers)).toBeNull();
    expect(headers.warning).toEqual(['a', 'b']);
  });
});
