import type { DefinitionBuilder } from './definition-builder.ts';
import type { JsonObject } from './dialect.ts';
import { info, securityScheme, sortedRecord, withoutEmpty } from './document-parts.ts';
import {
  type Content,
  methods,
  type Operation,
  type PathItem,
  responseDescriptions,
  splitParameters,
} from './operation.ts';
import type { Parameter } from './parameters.ts';

/** The general parts of a document. */
interface DocumentFrame {
  readonly info: JsonObject;
  readonly securitySchemes?: JsonObject;
}

const serverFrame: DocumentFrame = { info, securitySchemes: { BearerToken: securityScheme } };

/** Converts operations and their definitions to an OpenAPI v3 document. */
export function v3Document(
  items: readonly PathItem[],
  definitions: DefinitionBuilder,
  frame: DocumentFrame = serverFrame,
): JsonObject {
  const paths = sortedRecord(items.map((item) => [item.path, pathItem(item, definitions)]));
  const schemas = definitions.definitions();
  return {
    openapi: '3.0.0',
    info: frame.info,
    paths,
    components: withoutEmpty({ schemas, securitySchemes: frame.securitySchemes }),
  };
}

function pathItem(item: PathItem, definitions: DefinitionBuilder): JsonObject {
  const { common, own } = splitParameters(item);
  const operations = methods.flatMap((method) => {
    const found = item.operations.find((each) => each.method === method);
    return found ? [[method, operation(found, own(found), definitions)] as const] : [];
  });
  return withoutEmpty({ ...Object.fromEntries(operations), parameters: common.map(parameter) });
}

function operation(
  { tags, description, operationId, consumes = [], produces, body, responses, action, kind }: Operation,
  parameters: readonly Parameter[],
  definitions: DefinitionBuilder,
): JsonObject {
  const content = (of: Content, types: readonly string[]): JsonObject =>
    sortedRecord(types.map((type) => [type, { schema: schemaOf(of, definitions) }]));
  const answers = [...responses].map(([code, answer]) => [
    code,
    { description: responseDescriptions[code], content: content(answer, produces) },
  ]);
  return withoutEmpty({
    tags,
    description,
    operationId,
    parameters: parameters.map(parameter),
    requestBody: body && { content: content(body.content, consumes), ...(body.required && { required: true }) },
    responses: { ...Object.fromEntries(answers), 401: { description: responseDescriptions[401] } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind && { group: kind.group, version: kind.version, kind: kind.kind },
  });
}

const parameter = ({ name, in: place, description, required, type }: Parameter): JsonObject => ({
  name,
  in: place,
  ...(description && { description }),
  ...(required && { required }),
  schema: { type, uniqueItems: true },
});

export function schemaOf(content: Content, definitions: DefinitionBuilder): JsonObject {
  if (content === 'string') return { type: 'string' };
  if ('definition' in content) return definitions.given(content.definition);
  return 'special' in content ? definitions.special(content.special) : definitions.type(content.type);
}
