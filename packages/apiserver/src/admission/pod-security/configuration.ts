import {
  aggregate,
  duplicate,
  type ErrorList,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  Path,
} from '@coxswain/apimachinery';
import type { ObjectReader } from '../../configuration/object-reader.ts';
import { aggregateMessages } from '../aggregate-messages.ts';
import { type LevelVersion, latest, levelPart, modes, type Part, type Policy, versionPart } from './policy.ts';

/** The configuration of the PodSecurity plug-in: `PodSecurityConfiguration`. */
export interface PodSecurityConfiguration {
  /** For namespaces without labels. */
  readonly defaults: Policy;
  /** Users, namespaces and runtime classes that are not checked. */
  readonly exemptions: {
    readonly usernames: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

const nothing: LevelVersion = { level: 'privileged', version: latest };

/** All pods are allowed, unless the labels of their namespace restrict them. */
export const defaultPodSecurityConfiguration: PodSecurityConfiguration = {
  defaults: { enforce: nothing, audit: nothing, warn: nothing },
  exemptions: { usernames: new Set(), namespaces: new Set(), runtimeClasses: new Set() },
};

export const podSecurityConfigurationGroup = 'pod-security.admission.config.k8s.io';

/** Reads a PodSecurityConfiguration of any version. Throws an Error with all problems. */
export function readPodSecurityConfiguration(reader: ObjectReader): PodSecurityConfiguration {
  reader.ignore('apiVersion', 'kind');
  const { defaults, problems } = readDefaults(reader.object('defaults'));
  const { exemptions, errors } = readExemptions(reader.object('exemptions'));
  const unknown = reader.unknown.map((field) => `unknown field "${field}"`);
  if (unknown.length > 0) throw new Error(`strict decoding error: ${unknown.join(', ')}`);
  if (problems.length > 0) throw new Error(`PodSecurity configuration error: ${aggregateMessages(problems)}`);
  if (errors.length > 0) throw new Error(`PodSecurity invalid: ${aggregate(errors)}`);
  return { defaults, exemptions };
}

function readDefaults(reader: ObjectReader | undefined): { defaults: Policy; problems: string[] } {
  const problems: string[] = [];
  const read = <T>(field: string, { parse, rule }: Part<T>, absent: T): T => {
    const text = reader?.string(field);
    if (!text) return absent;
    const value = parse(text);
    if (value === undefined) problems.push(`${field}: ${rule}`);
    return value ?? absent;
  };
  const defaults = { ...defaultPodSecurityConfiguration.defaults };
  for (const mode of modes)
    defaults[mode] = {
      level: read(mode, levelPart, nothing.level),
      version: read(`${mode}-version`, versionPart, nothing.version),
    };
  return { defaults, problems };
}

type Exemptions = PodSecurityConfiguration['exemptions'];

function readExemptions(reader: ObjectReader | undefined): { exemptions: Exemptions; errors: ErrorList } {
  const errors: ErrorList = [];
  const read = (field: string, check: (text: string) => string[]): ReadonlySet<string> => {
    const seen = new Set<string>();
    for (const [index, text] of (reader?.strings(field) ?? []).entries()) {
      const path = Path.of('exemptions', field).index(index);
      const problems = check(text);
      if (problems.length > 0) errors.push(invalid(path, text, problems.join(', ')));
      else if (seen.has(text)) errors.push(duplicate(path, text));
      seen.add(text);
    }
    return seen;
  };
  const exemptions = {
    namespaces: read('namespaces', isDns1123Label),
    runtimeClasses: read('runtimeClasses', isDns1123Subdomain),
    usernames: read('usernames', (text) => (text === '' ? ['username must not be empty'] : [])),
  };
  return { exemptions, errors };
}
