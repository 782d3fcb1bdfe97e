import type { FunctionDeclaration, Library } from '../checking/function-declaration.ts';
import { BOOL, type CelType, INT, objectType, STRING } from '../values/types.ts';
import { CelError, type CelValue, OpaqueValue } from '../values/values.ts';
import { estimateNominalEquality, nominalCost, traversalCost } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { accepts, asCelError } from './parse-error.ts';
import {
  compareVersions,
  parseLenientVersion,
  parseSemanticVersion,
  type SemanticVersion,
} from './semantic-version.ts';

const SEMVER: CelType<SemverValue> = objectType('kubernetes.Semver');

export class SemverValue extends OpaqueValue {
  readonly celType = SEMVER;
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof SemverValue)) throw new CelError('no such overload');
    return compareVersions(this.version, other.version) === 0;
  }

  override toString(): string {
    const { numbers, prerelease, build } = this.version;
    const after = (mark: string, parts: readonly unknown[]): string => (parts.length > 0 ? mark + parts.join('.') : '');
    return numbers.join('.') + after('-', prerelease) + after('+', build);
  }
}

const parse = (text: string, normalize: boolean): SemverValue =>
  asCelError(
    () => new SemverValue(normalize ? parseLenientVersion(text) : parseSemanticVersion(text)),
    (message) => message,
  );

const order = (a: SemverValue, b: SemverValue): number => compareVersions(a.version, b.version);

const comparison = (
  name: string,
  id: string,
  result: CelType,
  call: (a: SemverValue, b: SemverValue) => CelValue,
): FunctionDeclaration => method(name, { id, parameters: [SEMVER, SEMVER], result, cost: nominalCost, call });

const accessor = (name: string, index: 0 | 1 | 2): FunctionDeclaration =>
  method(name, {
    id: `semver_${name}`,
    parameters: [SEMVER],
    result: INT,
    cost: nominalCost,
    call: ({ version }) => BigInt.asIntN(64, version.numbers[index]),
  });

/** `semver()`, `isSemver()` and the functions of a version. */
export const semverLibrary: Library = {
  name: 'kubernetes.Semver',
  estimateEquality: estimateNominalEquality(SEMVER),
  functions: [
    globalFunction('semver', {
      id: 'string_to_semver',
      parameters: [STRING],
      result: SEMVER,
      cost: traversalCost(),
      call: (text) => parse(text, false),
    }),
    globalFunction('semver', {
      id: 'string_bool_to_semver',
      parameters: [STRING, BOOL],
      result: SEMVER,
      cost: traversalCost(),
      call: parse,
    }),
    globalFunction('isSemver', {
      id: 'is_semver_string',
      parameters: [STRING],
      result: BOOL,
      cost: traversalCost(),
      call: (text) => accepts(() => parse(text, false)),
    }),
    globalFunction('isSemver', {
      id: 'is_semver_string_bool',
      parameters: [STRING, BOOL],
      result: BOOL,
      cost: traversalCost(),
      call: (text, normalize) => accepts(() => parse(text, normalize)),
    }),
    comparison('isGreaterThan', 'semver_is_greater_than', BOOL, (a, b) => order(a, b) > 0),
    comparison('isLessThan', 'semver_is_less_than', BOOL, (a, b) => order(a, b) < 0),
    comparison('compareTo', 'semver_compare_to', INT, (a, b) => BigInt(order(a, b))),
    accessor('major', 0),
    accessor('minor', 1),
    accessor('patch', 2),
  ],
};
