import { jsonEquals, Quantity } from '@coxswain/apimachinery';
import type { Container, PodSpec, ResourceRequirements } from '../../../../generated/core/v1.ts';
import { internalFormOf } from '../../../../strategy/internal-form.ts';
import { withHostFields } from '../../internal-form/internal-form.ts';
import { internalTypes } from '../../internal-form/pod-types.ts';

const one = Quantity.of(1);
/** The sum with a decimal is decimal: amounts that are equal have one text. */
const comparableForm = internalFormOf(internalTypes, (text) => one.add(Quantity.parse(text)).toString());
const asWritten = { undefinedIsAbsent: true };

const comparableSpec = (spec: PodSpec): object => comparableForm('PodSpec', withHostFields(spec));

/** Whether two specs mean the same, however their quantities are written. */
export function samePodSpec(a: PodSpec, b: PodSpec): boolean {
  return jsonEquals(a, b, asWritten) || jsonEquals(comparableSpec(a), comparableSpec(b));
}

/** The same for a container. */
export const sameContainer = (a: Container, b: Container): boolean =>
  jsonEquals(a, b, asWritten) || jsonEquals(comparableForm('Container', a), comparableForm('Container', b));

/** The same for what a pod or container asks for; none and nothing differ. */
export const sameResources = (a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean =>
  a && b ? jsonEquals(comparableForm('ResourceRequirements', a), comparableForm('ResourceRequirements', b)) : a === b;
