/** The contents of a resolv.conf file. */
export interface ResolverConfiguration {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/**
 * Parses a resolv.conf file. Of several `search` lines, the last one counts; so does the last value of a repeated option. Throws if a
 * `nameserver` line has no address.
 */
export function parseResolvConf(text: string): ResolverConfiguration {
  const servers: string[] = [];
  let searches: string[] = [];
  const options = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    switch (keyword) {
      case 'nameserver':
        if (values[0] === undefined) throw new Error('nameserver list is empty ');
        servers.push(values[0]);
        break;
      case 'search':
        // A domain with and without a final dot is the same domain.
        searches = values.filter((value) => value !== '.').map((value) => value.replace(/\.$/, ''));
        break;
      case 'options':
        for (const option of values) options.set(option.split(':', 1)[0]!, option);
    }
  }
  return { servers, searches, options: [...options.values()] };
}
