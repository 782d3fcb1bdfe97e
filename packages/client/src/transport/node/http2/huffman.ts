/**
 * RFC 7541, appendix B: the length of the code of each byte. Codes of equal length are consecutive in the order of
 * their bytes, and shorter codes precede longer ones, so the lengths define all codes.
 */
const lengths = Uint8Array.from(
  `13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28 28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28
   6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6 5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10
   13 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6
   15 5 6 5 6 5 6 6 6 5 7 7 6 6 6 5 6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28
   20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23 24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24
   22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23 21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23
   26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25 19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27
   20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23 26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26`
    .split(/\s+/)
    .map(Number),
);
const longest = 30;
/** A string is padded with up to 7 one bits. */
const mostPadding = 7;

/** The bytes in the order of their codes; and by length, the first code and its position. */
const sorted = Uint8Array.from(Array.from(lengths.keys()).sort((a, b) => lengths[a]! - lengths[b]! || a - b));
const counts = Array.from({ length: longest + 1 }, (_, length) => lengths.filter((each) => each === length).length);
const firstCodes: number[] = [0];
const firstPlaces: number[] = [0];
for (let length = 1; length <= longest; length++) {
  firstCodes.push((firstCodes[length - 1]! + counts[length - 1]!) * 2);
  firstPlaces.push(firstPlaces[length - 1]! + counts[length - 1]!);
}

/** Decodes a string; returns undefined when it is invalid. The shortest code has 5 bits. */
export function decodeHuffman(bytes: Uint8Array): Buffer | undefined {
  const decoded = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5));
  let count = 0;
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      if (++length > longest) return undefined;
      const place = code - firstCodes[length]!;
      if (place >= counts[length]!) continue;
      decoded[count++] = sorted[firstPlaces[length]! + place]!;
      code = 0;
      length = 0;
    }
  }
  const isPadding = length <= mostPadding && code === (1 << length) - 1;
  return isPadding ? decoded.subarray(0, count) : undefined;
}
