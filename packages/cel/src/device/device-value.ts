import type { DeviceAttribute } from '@coxswain/api/resource/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { QUANTITY, QuantityValue } from '../library/quantity.ts';
import { parseSemanticVersion } from '../library/semantic-version.ts';
import { SemverValue } from '../library/semver.ts';
import { EntryMap } from '../values/collections.ts';
import { BOOL, CelType, mapOf, objectType, STRING } from '../values/types.ts';
import { CelMap, type CelValue } from '../values/values.ts';
import type { SelectableDevice } from './device-selector.ts';

/** The type of an attribute, which is known only at run time. Not the same type as `dyn` in expressions. */
export const ATTRIBUTE = new CelType('dyn', 'google.protobuf.Any');

const fields: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['driver', STRING],
  ['allowMultipleAllocations', BOOL],
  ['attributes', mapOf(STRING, mapOf(STRING, ATTRIBUTE))],
  ['capacity', mapOf(STRING, mapOf(STRING, QUANTITY))],
]);

/** The type of the variable `device`. */
export const DEVICE = objectType('kubernetes.DRADevice', { field: (name) => fields.get(name) });

/** Returns a device as a CEL value. Throws an Error for an attribute without a supported value. */
export function deviceValue({ driver, allowMultipleAllocations, attributes, capacity }: SelectableDevice): CelValue {
  return new EntryMap([
    ['driver', driver],
    ['allowMultipleAllocations', allowMultipleAllocations ?? false],
    ['attributes', byDomain(driver, attributes, attributeValue)],
    ['capacity', byDomain(driver, capacity, (_, { value }) => new QuantityValue(Quantity.parse(value)))],
  ]);
}

/** Domains by name. A missing one reads as an empty map, so that expressions need no presence test. */
class Domains extends CelMap {
  readonly #domains: ReadonlyMap<string, CelMap>;
  readonly #none = new EntryMap();

  constructor(domains: ReadonlyMap<string, CelMap>) {
    super();
    this.#domains = domains;
  }

  get size(): number {
    return this.#domains.size;
  }

  get(key: CelValue): CelValue {
    return (typeof key === 'string' && this.#domains.get(key)) || this.#none;
  }

  override has(key: CelValue): boolean {
    return typeof key === 'string' && this.#domains.has(key);
  }

  keys(): Iterable<CelValue> {
    return this.#domains.keys();
  }
}

/** Groups entries by domain. Names without a domain are in the driver's. */
function byDomain<T>(
  driver: string,
  entries: Readonly<Record<string, T>> = {},
  toValue: (name: string, entry: T) => CelValue,
): Domains {
  const domains = new Map<string, [string, CelValue][]>();
  for (const [name, entry] of Object.entries(entries)) {
    const slash = name.indexOf('/');
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const known = domains.get(domain) ?? [];
    known.push([name.slice(slash + 1), toValue(name, entry)]);
    domains.set(domain, known);
  }
  return new Domains(new Map(Array.from(domains, ([domain, known]) => [domain, new EntryMap(known)])));
}

function attributeValue(name: string, { int, bool, string, version }: DeviceAttribute): CelValue {
  if (int !== undefined) return BigInt(int);
  if (bool !== undefined) return bool;
  if (string !== undefined) return string;
  if (version === undefined) throw new Error(`attribute ${name}: unsupported attribute value`);
  try {
    return new SemverValue(parseSemanticVersion(version));
  } catch (cause) {
    const message = messageOf(cause);
    throw new Error(`attribute ${name}: parse semantic version: ${message}`, { cause });
  }
}
