import { type CallCost, type FunctionDeclaration, overload } from '../checking/function-declaration.ts';
import type { Work } from '../steps/steps.ts';
import type { CelType, ValueOf } from '../values/types.ts';
import type { CelValue } from '../values/values.ts';

interface Signature<P extends readonly CelType[]> {
  /** Upstream's id of the overload. */
  readonly id: string;
  readonly parameters: readonly [...P];
  readonly result: CelType;
  readonly cost?: CallCost;
  readonly call: (...args: { [I in keyof P]: ValueOf<P[I]> }) => CelValue | Work<CelValue>;
}

/** Declares a function called as `target.name(…)`. Several declarations of a name are its overloads. */
export const method = <const P extends readonly CelType[]>(name: string, spec: Signature<P>): FunctionDeclaration => ({
  name,
  overloads: [overload({ ...spec, isMember: true })],
});

/** Declares a function called as `name(…)`. Several declarations of a name are its overloads. */
export const globalFunction = <const P extends readonly CelType[]>(
  name: string,
  spec: Signature<P>,
): FunctionDeclaration => ({ name, overloads: [overload({ ...spec, isMember: false })] });
