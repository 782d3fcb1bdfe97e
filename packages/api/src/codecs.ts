import { CodecFactory } from '@coxswain/apimachinery';
import { Catalogue } from './catalogue/catalogue.ts';

/** Upstream's scheme is named after the line that makes it, and the name stands in messages that people search for. */
const schemeName = 'pkg/runtime/scheme.go:111';

/** JSON, YAML and protobuf for every built-in kind. */
export function newCodecFactory(catalogue: Catalogue = Catalogue.builtIn()): CodecFactory {
  return new CodecFactory({ name: schemeName, resolve: (gvk) => catalogue.kind(gvk)?.schema });
}
