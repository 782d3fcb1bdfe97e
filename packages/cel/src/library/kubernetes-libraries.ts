import type { Library } from '../checking/function-declaration.ts';
import { OPTIONAL_LIBRARY, TWO_VARIABLE_COMPREHENSIONS } from '../standard/optional-library.ts';
import { authorizerLibrary, authorizerSelectorsLibrary } from './authorizer.ts';
import { cidrLibrary } from './cidr.ts';
import { extendedListsLibrary } from './extended-lists.ts';
import { formatLibrary } from './format.ts';
import { ipLibrary } from './ip.ts';
import { listsLibrary } from './lists.ts';
import { quantityLibrary } from './quantity.ts';
import { regexLibrary } from './regex.ts';
import { semverLibrary } from './semver.ts';
import { setsLibrary } from './sets.ts';
import { stringsLibrary } from './strings.ts';
import { urlsLibrary } from './urls.ts';

/** The libraries of every environment of Kubernetes v1.36, in the order of upstream's base environment. */
export const kubernetesLibraries: readonly Library[] = [
  urlsLibrary,
  regexLibrary,
  listsLibrary,
  authorizerLibrary,
  OPTIONAL_LIBRARY,
  quantityLibrary,
  stringsLibrary,
  setsLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  authorizerSelectorsLibrary,
  TWO_VARIABLE_COMPREHENSIONS,
  semverLibrary,
  extendedListsLibrary,
];
