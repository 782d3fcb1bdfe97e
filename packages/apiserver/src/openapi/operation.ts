import type { GroupVersionKind } from '@coxswain/apimachinery';
import type { Parameter } from './parameters.ts';

/** In the order of documents. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

export type Method = (typeof methods)[number];

/**
 * The content of a request or response body: a type of the catalogue, one of the special definitions, a definition added to the
 * document's builder, or a string.
 */
export type Content =
  | { readonly type: string }
  | { readonly special: string }
  | { readonly definition: string }
  | 'string';

export interface Operation {
  readonly method: Method;
  readonly description: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly consumes?: readonly string[];
  readonly produces: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly content: Content; readonly required: boolean };
  readonly responses: ReadonlyMap<number, Content>;
  /** `list`, `watch`, `connect` … Undefined for paths that are not resources. */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
}

export interface PathItem {
  readonly path: string;
  readonly operations: readonly Operation[];
}

/** The descriptions of status codes. */
export const responseDescriptions: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
};

const isSame = (a: Parameter, b: Parameter): boolean =>
  a.name === b.name && a.in === b.in && a.type === b.type && a.description === b.description;

/** Separates the parameters that all operations of a path have in common from the others. */
export function splitParameters({ operations }: PathItem): {
  readonly common: readonly Parameter[];
  readonly own: (operation: Operation) => readonly Parameter[];
} {
  const [first, ...others] = operations.map(({ parameters }) => parameters);
  const common = (first ?? []).filter((each) => others.every((other) => other.some((known) => isSame(each, known))));
  return {
    common,
    own: ({ parameters }) => parameters.filter((each) => !common.some((known) => isSame(each, known))),
  };
}
