import { Catalogue } from '@coxswain/api';
import { type Field, GroupVersionKind, type Schema, type StructSchema } from '@coxswain/apimachinery';

const field = (name: string, schema: Schema, { pointer = false, omitEmpty = true } = {}): Field => ({
  name,
  schema,
  number: 0,
  pointer,
  omitEmpty,
  omitZero: false,
  inline: false,
  required: false,
  patchStrategy: [],
});

const struct = (name: string, declared: readonly Field[]): StructSchema => ({
  kind: 'struct',
  name,
  fullName: `admission.v1.${name}`,
  declared,
  fields: new Map(declared.map((one) => [one.name, one])),
  atomic: false,
});

const text: Schema = { kind: 'string' };

function newSchema(): StructSchema {
  const status = Catalogue.builtIn().kind(GroupVersionKind.of('', 'v1', 'Status'))!.schema;
  return struct('AdmissionReview', [
    field('kind', text),
    field('apiVersion', text),
    field(
      'response',
      struct('AdmissionResponse', [
        field('uid', { kind: 'string', goName: 'UID' }, { omitEmpty: false }),
        field('allowed', { kind: 'bool' }, { omitEmpty: false }),
        field('status', status, { pointer: true }),
        field('patch', { kind: 'bytes' }),
        field('patchType', { kind: 'string', goName: 'PatchType' }, { pointer: true }),
        field('auditAnnotations', { kind: 'map', values: text, atomic: false }),
        field('warnings', { kind: 'list', items: text, listType: 'atomic', mapKeys: [] }),
      ]),
      { pointer: true },
    ),
  ]);
}

let schema: StructSchema | undefined;

/** The fields of an AdmissionReview that this server reads: the response. They are the same in both versions. */
export function admissionReviewSchema(): StructSchema {
  schema ??= newSchema();
  return schema;
}
