import { jsonEquals, Quantity } from '@coxswain/apimachinery';
import type { Container, PodSpec, ResourceRequirements } from '../../../../generated/core/v1.ts';
import { internalFormOf } from '../../../../strategy/internal-form.ts';
import { withHostFields } from '../../internal-form/internal-form.ts';
import { internalTypes } from '../../internal-form/pod-types.ts';

const one = Quantity.of(1);
/** Adding 1, a decimal quantity, makes every quantity decimal, so that equal amounts have the same text. */
const comparableForm = internalFormOf(internalTypes, (text) => one.add(Quantity.parse(text)).toString());
const asWritten = { undefinedIsAbsent: true };

const comparableSpec = (spec: PodSpec): object => comparableForm('PodSpec', withHostFields(spec));

/** Reports whether two specs are equal; quantities are compared by value. */
export function samePodSpec(a: PodSpec, b: PodSpec): boolean {
  return jsonEquals(a, b, asWritten) || jsonEquals(comparableSpec(a), comparableSpec(b));
}

/** Reports whether two containers are equal; quantities are compared by value. */
export const sameContainer = (a: Container, b: Container): boolean =>
  jsonEquals(a, b, asWritten) || jsonEquals(comparableForm('Container', a), comparableForm('Container', b));

/** Reports whether two resource requirements are equal, by value. Undefined and empty ones differ. */
export const sameResources = (a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean =>
  a && b ? jsonEquals(comparableForm('ResourceRequirements', a), comparableForm('ResourceRequirements', b)) : a === b;
