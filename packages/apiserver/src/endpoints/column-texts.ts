import { type Descriptions, loadColumnDescriptions } from '@coxswain/api';
import type { GroupVersionKind } from '@coxswain/apimachinery';
import { type ApiRequest, headerOf } from '@coxswain/component-base/http';

/** The descriptions of Table columns. Undefined until the first request for a Table loads them. */
let texts: Descriptions | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads the column descriptions if the request may be for a Table. Returns undefined when there is nothing to wait for. Never
 * rejects: a build may have been made without descriptions.
 */
export function loadColumnTexts(request: ApiRequest): Promise<void> | undefined {
  if (texts || !headerOf(request, 'accept').includes('as=Table')) return undefined;
  loading ??= loadColumnDescriptions().then(
    (loaded) => {
      texts = loaded;
    },
    () => {
      texts = {};
    },
  );
  return loading;
}

/** Returns the description of a kind's column, or an empty string when there is none. */
export function columnText({ group, kind }: GroupVersionKind, column: string): string {
  return textOf(`${group}/${kind}`, column) || textOf('', column);
}

function textOf(kind: string, column: string): string {
  const columns = texts && Object.hasOwn(texts, kind) ? texts[kind]! : {};
  return Object.hasOwn(columns, column) ? columns[column]! : '';
}
