/** The size of an overwritten page: that of LMDB's pages. */
const pageBytes = 4096;

/** Kinds of damage to a file, each at random places. The functions change the buffer, or return a part of it. */
export const damages: Readonly<Record<string, (file: Buffer, random: () => number) => Buffer>> = {
  'a page of zeros': (file, random) => {
    const at = pageIn(file, random);
    return file.fill(0, at, at + pageBytes);
  },
  'a page of noise': (file, random) => {
    const at = pageIn(file, random);
    for (let index = at; index < at + pageBytes; index++) file[index] = random() * 256;
    return file;
  },
  'another page in its place': (file, random) => {
    const from = pageIn(file, random);
    file.copyWithin(pageIn(file, random), from, from + pageBytes);
    return file;
  },
  'a few wrong bytes': (file, random) => {
    const at = Math.floor(random() * (file.length - 16));
    for (let index = at; index <= at + random() * 16; index++) file[index] = random() * 256;
    return file;
  },
  'a wrong bit near the beginning of a page': (file, random) => {
    const at = pageIn(file, random) + Math.floor(random() * 160);
    file[at] = file[at]! ^ (1 << Math.floor(random() * 8));
    return file;
  },
  'a wrong bit in the first two pages': (file, random) => {
    const at = (random() < 0.5 ? 0 : pageBytes) + Math.floor(random() * 180);
    file[at] = file[at]! ^ (1 << Math.floor(random() * 8));
    return file;
  },
  'a missing end': (file, random) => file.subarray(0, Math.floor(random() * file.length)),
};

const pageIn = (file: Buffer, random: () => number): number =>
  Math.floor((random() * file.length) / pageBytes) * pageBytes;
