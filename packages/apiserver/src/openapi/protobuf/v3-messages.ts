import {
  always,
  any,
  bool,
  choice,
  dictionary,
  double,
  type FieldWriter,
  hasRef,
  integer,
  type Message,
  message,
  named,
  nested,
  oneOrMany,
  repeated,
  string,
  strings,
} from './message.ts';

const reference = message({ $ref: [1, string], summary: [2, string], description: [3, string] });

const orReference = (own: () => Message): FieldWriter =>
  nested(() => choice((value) => (hasRef(value) ? [2, nested(() => reference)] : [1, nested(own)])));

const schemaOrReference: FieldWriter = orReference(() => schema);

const defaultKinds: Partial<Readonly<Record<string, readonly [number, FieldWriter]>>> = {
  number: [1, always.double],
  boolean: [2, always.bool],
  string: [3, always.string],
};

/** gnostic's `DefaultType`. It has no field for objects and lists, so these become an empty message. */
const defaultType: FieldWriter = nested(() => (writer, value) => {
  const kind = defaultKinds[typeof value];
  if (kind) kind[1](writer, kind[0], value);
});

const externalDocs = nested(() => message({ description: [1, string], url: [2, string] }, 3));

const schema: Message = message(
  {
    nullable: [1, bool],
    readOnly: [3, bool],
    writeOnly: [4, bool],
    externalDocs: [6, externalDocs],
    example: [7, any],
    deprecated: [8, bool],
    title: [9, string],
    multipleOf: [10, double],
    maximum: [11, double],
    exclusiveMaximum: [12, bool],
    minimum: [13, double],
    exclusiveMinimum: [14, bool],
    maxLength: [15, integer],
    minLength: [16, integer],
    pattern: [17, string],
    maxItems: [18, integer],
    minItems: [19, integer],
    uniqueItems: [20, bool],
    maxProperties: [21, integer],
    minProperties: [22, integer],
    required: [23, strings],
    enum: [24, repeated(any)],
    type: [25, string],
    allOf: [26, repeated(schemaOrReference)],
    oneOf: [27, repeated(schemaOrReference)],
    anyOf: [28, repeated(schemaOrReference)],
    not: [29, nested(() => schema)],
    items: [30, nested(() => (writer, value) => oneOrMany(schemaOrReference)(writer, 1, value))],
    properties: [31, dictionary(schemaOrReference)],
    additionalProperties: [
      32,
      nested(() => choice((value) => (typeof value === 'boolean' ? [2, always.bool] : [1, schemaOrReference]))),
    ],
    default: [33, defaultType],
    description: [34, string],
    format: [35, string],
  },
  36,
);

const mediaTypes = dictionary(nested(() => message({ schema: [1, schemaOrReference], example: [2, any] }, 5)));

const parameter = orReference(() =>
  message(
    {
      name: [1, string],
      in: [2, string],
      description: [3, string],
      required: [4, bool],
      deprecated: [5, bool],
      allowEmptyValue: [6, bool],
      style: [7, string],
      explode: [8, bool],
      allowReserved: [9, bool],
      schema: [10, schemaOrReference],
      content: [13, mediaTypes],
    },
    14,
  ),
);

const response = orReference(() => message({ description: [1, string], content: [3, mediaTypes] }, 5));

const requestBody = orReference(() =>
  message({ description: [1, string], content: [2, mediaTypes], required: [3, bool] }, 4),
);

const operation = nested(() =>
  message(
    {
      tags: [1, strings],
      summary: [2, string],
      description: [3, string],
      externalDocs: [4, externalDocs],
      operationId: [5, string],
      parameters: [6, repeated(parameter)],
      requestBody: [7, requestBody],
      responses: [8, nested(() => (writer, value) => named(response)(writer, 2, value))],
      deprecated: [10, bool],
    },
    13,
  ),
);

const pathItem = nested(() =>
  message(
    {
      $ref: [1, string],
      summary: [2, string],
      description: [3, string],
      get: [4, operation],
      put: [5, operation],
      post: [6, operation],
      delete: [7, operation],
      options: [8, operation],
      head: [9, operation],
      patch: [10, operation],
      trace: [11, operation],
      parameters: [13, repeated(parameter)],
    },
    14,
  ),
);

const securityScheme = orReference(() =>
  message({ type: [1, string], description: [2, string], name: [3, string], in: [4, string], scheme: [5, string] }, 9),
);

/** gnostic's `openapi.v3.Document`. */
export const v3DocumentMessage: Message = message(
  {
    openapi: [1, string],
    info: [2, nested(() => message({ title: [1, string], description: [2, string], version: [6, string] }, 7))],
    paths: [4, nested(() => (writer, value) => named(pathItem)(writer, 1, value))],
    components: [
      5,
      nested(() =>
        message({ schemas: [1, dictionary(schemaOrReference)], securitySchemes: [7, dictionary(securityScheme)] }, 10),
      ),
    ],
  },
  9,
);
