/** The registry, and optionally the prefix of paths in it, to which a login applies. */
export interface RegistryLocation {
  /** The parts between the dots of the host's name. `*` stands for any characters of a part. */
  readonly hostParts: readonly string[];
  /** Empty if none is given. */
  readonly port: string;
  /** Empty, or with a slash at its beginning. */
  readonly path: string;
}

/** Returns undefined if there is no registry in the text. A scheme is ignored. */
export function parseRegistryLocation(text: string): RegistryLocation | undefined {
  const found = /^(?:https?:\/\/)?(?:[^/?#@]*@)?([^/?#@\s]*)([^?#]*)/.exec(text);
  const [, authority = '', path = ''] = found ?? [];
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority) ?? [];
  return host === '' ? undefined : { hostParts: host.split('.'), port, path };
}

/** Returns the location as text. In descending order of these texts, longer paths come first. */
export const locationKey = ({ hostParts, port, path }: RegistryLocation): string =>
  `${hostParts.join('.')}${port && `:${port}`}${path}`;

/** Returns whether a login for the location applies to an image's repository. */
export function matchesLocation(location: RegistryLocation, repository: RegistryLocation): boolean {
  const { hostParts, port, path } = location;
  return (
    port === repository.port &&
    hostParts.length === repository.hostParts.length &&
    repository.path.startsWith(path) &&
    hostParts.every((part, i) => matchesGlob(part, repository.hostParts[i]!))
  );
}

/** The time is at most proportional to the product of both lengths. A regular expression could take exponentially long. */
function matchesGlob(pattern: string, text: string): boolean {
  let [p, t] = [0, 0];
  /** Where to continue when the text after the last star does not match: the star then takes one more character. */
  let star: { readonly p: number; t: number } | undefined;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = { p: p + 1, t };
      p++;
    } else if (pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star) {
      star.t++;
      p = star.p;
      t = star.t;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
