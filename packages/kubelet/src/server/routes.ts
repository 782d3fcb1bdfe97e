import { type ApiRequest, type ApiResponse, textResponse } from '@coxswain/component-base/http';

/** The variable words of a path, by name. */
export type PathParameters = Readonly<Record<string, string>>;

export interface Route {
  /** In upper case. */
  readonly methods: readonly string[];
  /** `/exec/{namespace}/{pod}/{container}`: words in braces match any word. A star as the last word matches any number of words. */
  readonly path: string;
  /** A page of its own: other paths that begin with the same word may be served elsewhere. */
  readonly isPage?: true;
  readonly respond: (request: ApiRequest, parameters: PathParameters) => Promise<ApiResponse> | ApiResponse;
}

interface ParsedRoute extends Route {
  readonly words: readonly string[];
}

/** Finds the route of a request. The answers for requests without one are upstream's. */
export class Routes {
  /** By the first word of the path. */
  readonly #byRoot = new Map<string, ParsedRoute[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const words = wordsOf(route.path);
      const [root = ''] = words;
      this.#byRoot.set(root, [...(this.#byRoot.get(root) ?? []), { ...route, words }]);
    }
  }

  /** Undefined if the path may be served elsewhere. */
  async respond(request: ApiRequest): Promise<ApiResponse | undefined> {
    const path = decodedPath(request);
    if (path === undefined) return textResponse(400, '400 Bad Request');
    const words = wordsOf(path);
    const routes = this.#byRoot.get(words[0] ?? '');
    if (!routes) return undefined;
    const matches = routes.flatMap((route) => {
      const parameters = match(route.words, words);
      return parameters ? [{ route, parameters }] : [];
    });
    if (matches.length === 0) {
      return routes.some(({ isPage }) => isPage) ? undefined : textResponse(404, '404: Page Not Found');
    }
    const found = matches.find(({ route }) => route.methods.includes(request.method));
    if (found) return await found.route.respond(request, found.parameters);
    const allow = [...new Set(matches.flatMap(({ route }) => route.methods))].join(', ');
    const refusal = textResponse(405, '405: Method Not Allowed');
    return { ...refusal, headers: { ...refusal.headers, allow } };
  }
}

function match(pattern: readonly string[], words: readonly string[]): PathParameters | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    if (part === '*') {
      parameters['*'] = words.slice(index).join('/');
      return parameters;
    }
    const word = words[index];
    if (word === undefined) return undefined;
    if (part.startsWith('{')) parameters[part.slice(1, -1)] = word;
    else if (part !== word) return undefined;
  }
  return pattern.length === words.length ? parameters : undefined;
}

/** Slashes at both ends do not matter. */
const wordsOf = (path: string): string[] => path.replace(/^\/|\/$/g, '').split('/');

/** Returns the path without percent encoding. Undefined if it is not well encoded. */
export function decodedPath({ path }: Pick<ApiRequest, 'path'>): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
