import type { CharacterSet } from './syntax.ts';

/** Sets of more than two characters that differ only in case. */
const irregular = new Map(
  'Ввᲀ Ддᲁ Ооᲂ Ссᲃ Ттᲄᲅ Ъъᲆ Ѣѣᲇ \u00b5Μμ \u00c5\u00e5\u212b Ǆǅǆ Ǉǈǉ Ǌǋǌ Ǳǲǳ ᲈꙊꙋ Kk\u212a Ṡṡẛ Ssſ \u0345Ιι\u1fbe Ββϐ Εεϵ Θθϑϴ Κκϰ Ππϖ Ρρϱ Σςσ Φφϕ \u03a9ω\u2126'
    .split(' ')
    .map((letters) => Array.from(letters, (letter) => letter.codePointAt(0)!))
    .flatMap((orbit) => orbit.map((code) => [code, orbit] as const)),
);

/** Characters without case variants: their lower case has several letters, or exists in Turkish only. */
const caseless = new Set([0x130, 0x131]);

/**
 * Returns the one-letter upper case of lower-case Greek letters with a subscript and of the sharp s, which JavaScript's toUpperCase
 * converts to two letters.
 */
function upperInOneLetter(code: number): number | undefined {
  if (code === 0xdf) return 0x1e9e;
  if (code >= 0x1f80 && code <= 0x1faf && (code & 8) === 0) return code + 8;
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? code + 9 : undefined;
}

/** Returns the characters that differ from a character only in case, and the character itself. */
function orbitOf(code: number): readonly number[] {
  const orbit = irregular.get(code);
  if (orbit) return orbit;
  if (caseless.has(code)) return [code];
  const character = String.fromCodePoint(code);
  const others = [character.toLowerCase(), character.toUpperCase()].map((text) =>
    text.length === character.length ? text.codePointAt(0)! : code,
  );
  return [code, ...others, upperInOneLetter(code) ?? code];
}

/** Returns the set with all case variants of its characters. */
export function foldingCase(set: CharacterSet): CharacterSet {
  return (code) => orbitOf(code).some(set);
}
