const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const hostPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${hostPart}(?:\\.${hostPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const reference = new RegExp(
  `^(${domain}/${component}(?:/${component})*)(?::([0-9A-Za-z_][0-9A-Za-z_.-]{0,127}))?(?:@(.+))?$`,
);
const digest = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const maxNameLength = 255;
/** More than the longest name, tag and digest together. Longer texts are not image names, and are not matched. */
const maxLength = 600;

/** The pull policies. Sorted, because messages list them. */
export const pullPolicies = ['Always', 'IfNotPresent', 'Never'];

/** Reports whether the first part of a name is a registry's address, and not a part of a name in the default registry. */
const isDomain = (text: string): boolean => /[.:]/.test(text) || text === 'localhost' || text.toLowerCase() !== text;

/**
 * Reports whether the image is the latest one: its tag is `latest`, or it has neither tag nor digest. False for texts
 * that are not image names.
 */
export function isLatestImage(image: string): boolean {
  if (image.length > maxLength || /^[a-f0-9]{64}$/.test(image)) return false;
  const slash = image.indexOf('/');
  const hasDomain = slash >= 0 && isDomain(image.slice(0, slash));
  const remainder = hasDomain ? image.slice(slash + 1) : image;
  const registry = hasDomain ? image.slice(0, slash) : 'docker.io';
  const inLibrary = (registry === 'docker.io' || registry === 'index.docker.io') && !remainder.includes('/');
  const match = reference.exec(`${registry}/${inLibrary ? 'library/' : ''}${remainder}`);
  if (!match || match[1]!.length > maxNameLength) return false;
  const [, , tag, hash] = match;
  if (hash !== undefined && !digest.test(hash)) return false;
  return tag === undefined ? hash === undefined : tag === 'latest';
}
