/** The functions that Kubernetes adds to CEL, one file per library. `kubernetesLibraries` are those that v1.36 enables. */
export {
  type AccessAnswer,
  type AccessChecker,
  type AccessQuestion,
  AUTHORIZER,
  AuthorizerValue,
  RESOURCE_CHECK,
  ResourceCheck,
} from './authorizer-values.ts';
export { jsonPatchLibrary } from './json-patch.ts';
export { JSON_PATCH, JSONPatchValue } from './json-patch-value.ts';
export { kubernetesLibraries } from './kubernetes-libraries.ts';
