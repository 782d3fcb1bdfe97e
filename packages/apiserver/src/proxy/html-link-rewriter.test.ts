import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HtmlLinkRewriter } from './html-link-rewriter.ts';

const rewrite = (link: string): string => {
  if (link.startsWith(':')) throw new Error('no link');
  return link.startsWith('/') ? `/p${link}` : link;
};

async function rewritten(page: Buffer, ...cuts: number[]): Promise<Buffer> {
  const rewriter = new HtmlLinkRewriter(rewrite);
  let at = 0;
  for (const cut of [...cuts.sort((a, b) => a - b), page.length]) {
    rewriter.write(page.subarray(at, cut));
    at = cut;
  }
  rewriter.end();
  const chunks: Buffer[] = [];
  for await (const chunk of rewriter) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const cases: Record<string, [page: string, expected: string]> = {
  'a link': ['<a href="/x">x</a>', '<a href="/p/x">x</a>'],
  'a link in capitals': ['<A CLASS=foo HREF="/x">', '<A CLASS=foo HREF="/p/x">'],
  'a link without quotes': ['<img src=/i.png/>', '<img src="/p/i.png/">'],
  'a link in single quotes': ["<a href='/x\"y'>", '<a href="/p/x&#34;y">'],
  'a link with spaces around': ['<a href = "/x" >', '<a href = "/p/x" >'],
  'a link with entities': ['<a href="/x?a=1&amp;b=2&c=3&#38;d">', '<a href="/p/x?a=1&amp;b=2&amp;c=3&amp;d">'],
  'a link with an unknown entity': ['<a href="/x&eacute;">', '<a href="/x&eacute;">'],
  'a link in UTF-8': ['<a href="/é">', '<a href="/p/é">'],
  'a relative link': ['<img SRC="rel.png" alt="a > b">', '<img SRC="rel.png" alt="a > b">'],
  'values that are not links': ['<a href=":bad" title="/n"><p href="/x">', '<a href=":bad" title="/n"><p href="/x">'],
  'an attribute without a value': ['<a href>q</a><a href="">', '<a href>q</a><a href="">'],
  'several links of an element': ['<video poster=/a src=/b x=/c>', '<video poster="/p/a" src="/p/b" x=/c>'],
  'text that looks like a tag': ['1 < 2 <3 <a<b href=/x>', '1 < 2 <3 <a<b href=/x>'],
  comments: ['<!-- <a href="/c"> --><a href="/x">', '<!-- <a href="/c"> --><a href="/p/x">'],
  'an empty comment': ['<!--><a href="/x">', '<!--><a href="/p/x">'],
  doctypes: ['<!DOCTYPE html "<a href=/c>"><a href=/x>', '<!DOCTYPE html "<a href=/c>"><a href="/p/x">'],
  scripts: [
    '<script src="/s.js">var a="<a href=/z>";</SCRIPT><a href=/x>',
    '<script src="/p/s.js">var a="<a href=/z>";</SCRIPT><a href="/p/x">',
  ],
  'raw text': ['<textarea><a href="/t"></textarea><a href=/x>', '<textarea><a href="/t"></textarea><a href="/p/x">'],
  'an unfinished tag': ['<a href="/x', '<a href="/x'],
  'an unfinished page': ['<a href="/x">y<', '<a href="/p/x">y<'],
};

describe('HtmlLinkRewriter', () => {
  it.each(Object.entries(cases))('%s', async (_, [page, expected]) => {
    expect((await rewritten(Buffer.from(page))).toString()).toBe(expected);
  });

  it('has the same result for any split into chunks', async () => {
    const page = Buffer.from(
      Object.values(cases)
        .map(([text]) => text)
        .join('</a></textarea></script>\n'),
    );
    const whole = await rewritten(page);
    const cuts = fc.uniqueArray(fc.nat(page.length), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        expect((await rewritten(page, ...at)).equals(whole)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('does not change bytes outside of links', async () => {
    const noLinks = fc.uint8Array({ maxLength: 300 }).filter((bytes) => !bytes.includes(0x2f));
    await fc.assert(
      fc.asyncProperty(noLinks, async (bytes) => {
        expect((await rewritten(Buffer.from(bytes), bytes.length >> 1)).equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });

  it('does not buffer an endless tag', async () => {
    const rewriter = new HtmlLinkRewriter(rewrite);
    rewriter.write(`<a href="/${'x'.repeat(20_000)}`);
    await once(rewriter, 'readable');
    expect(rewriter.read().length).toBeGreaterThan(16_384);
    rewriter.destroy();
  });
});
