import { type Descriptions, loadColumnDescriptions } from '@coxswain/api';
import type { GroupVersionKind } from '@coxswain/apimachinery';
import { type ApiRequest, headerOf } from '@coxswain/component-base/http';

/** What the columns of Tables are described as: empty until it was loaded, which is when a Table is first asked for. */
let texts: Descriptions | undefined;
let loading: Promise<void> | undefined;

/** Resolves when columns have their descriptions, if the request could be one for a Table. Never rejects: a build may have none. */
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

/** How a column of a kind is described; empty where nothing is known of it. */
export function columnText({ group, kind }: GroupVersionKind, column: string): string {
  return textOf(`${group}/${kind}`, column) || textOf('', column);
}

function textOf(kind: string, column: string): string {
  const columns = texts && Object.hasOwn(texts, kind) ? texts[kind]! : {};
  return Object.hasOwn(columns, column) ? columns[column]! : '';
}
