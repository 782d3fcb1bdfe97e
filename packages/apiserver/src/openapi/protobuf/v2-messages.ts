import { isJsonObject } from '@coxswain/apimachinery';
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

const schemaField: FieldWriter = nested(() => schema);

const externalDocs = nested(() => message({ description: [1, string], url: [2, string] }, 3));

const schema: Message = message(
  {
    $ref: [1, string],
    format: [2, string],
    title: [3, string],
    description: [4, string],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, bool],
    minimum: [9, double],
    exclusiveMinimum: [10, bool],
    maxLength: [11, integer],
    minLength: [12, integer],
    pattern: [13, string],
    maxItems: [14, integer],
    minItems: [15, integer],
    uniqueItems: [16, bool],
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, strings],
    enum: [20, repeated(any)],
    additionalProperties: [
      21,
      nested(() => choice((value) => (typeof value === 'boolean' ? [2, always.bool] : [1, schemaField]))),
    ],
    type: [22, nested(() => (writer, value) => oneOrMany(always.string)(writer, 1, value))],
    items: [23, nested(() => (writer, value) => oneOrMany(schemaField)(writer, 1, value))],
    allOf: [24, repeated(schemaField)],
    properties: [25, dictionary(schemaField)],
    discriminator: [26, string],
    readOnly: [27, bool],
    externalDocs: [29, externalDocs],
    example: [30, any],
  },
  31,
);

const bodyParameter = nested(() =>
  message(
    { description: [1, string], name: [2, string], in: [3, string], required: [4, bool], schema: [5, schemaField] },
    6,
  ),
);

const queryParameter = nested(() =>
  message(
    {
      required: [1, bool],
      in: [2, string],
      description: [3, string],
      name: [4, string],
      type: [6, string],
      format: [7, string],
      uniqueItems: [20, bool],
    },
    23,
  ),
);

const pathParameter = nested(() =>
  message(
    {
      required: [1, bool],
      in: [2, string],
      description: [3, string],
      name: [4, string],
      type: [5, string],
      format: [6, string],
      uniqueItems: [19, bool],
    },
    22,
  ),
);

const placeOf = (value: unknown): unknown => (isJsonObject(value) ? value.in : undefined);

const nonBodyParameter = nested(() =>
  choice((value) => (placeOf(value) === 'path' ? [4, pathParameter] : [3, queryParameter])),
);

const parameter = nested(() =>
  choice((value) => (placeOf(value) === 'body' ? [1, bodyParameter] : [2, nonBodyParameter])),
);

const jsonReference = nested(() => message({ $ref: [1, string], description: [2, string] }));

const parametersItem = nested(() => choice((value) => (hasRef(value) ? [2, jsonReference] : [1, parameter])));

const schemaItem = nested(() => choice(() => [1, schemaField]));

const response = nested(() => message({ description: [1, string], schema: [2, schemaItem] }, 5));

const responseValue = nested(() => choice((value) => (hasRef(value) ? [2, jsonReference] : [1, response])));

const operation = nested(() =>
  message(
    {
      tags: [1, strings],
      summary: [2, string],
      description: [3, string],
      externalDocs: [4, externalDocs],
      operationId: [5, string],
      produces: [6, strings],
      consumes: [7, strings],
      parameters: [8, repeated(parametersItem)],
      responses: [9, nested(() => (writer, value) => named(responseValue)(writer, 1, value))],
      schemes: [10, strings],
      deprecated: [11, bool],
    },
    13,
  ),
);

const pathItem = nested(() =>
  message(
    {
      $ref: [1, string],
      get: [2, operation],
      put: [3, operation],
      post: [4, operation],
      delete: [5, operation],
      options: [6, operation],
      head: [7, operation],
      patch: [8, operation],
      parameters: [9, repeated(parametersItem)],
    },
    10,
  ),
);

const stringArray = nested(() => (writer, value) => strings(writer, 1, value));

const apiKeySecurity = nested(() =>
  message({ type: [1, string], name: [2, string], in: [3, string], description: [4, string] }, 5),
);

/** gnostic's `openapi.v2.Document`. */
export const v2DocumentMessage: Message = message(
  {
    swagger: [1, string],
    info: [2, nested(() => message({ title: [1, string], version: [2, string], description: [3, string] }, 7))],
    paths: [8, nested(() => (writer, value) => named(pathItem)(writer, 2, value))],
    definitions: [9, dictionary(schemaField)],
    parameters: [10, dictionary(parameter)],
    security: [12, repeated(dictionary(stringArray))],
    securityDefinitions: [13, dictionary(nested(() => choice(() => [2, apiKeySecurity])))],
  },
  16,
);
