import { CodecFactory } from '@coxswain/apimachinery';
import { Catalogue } from './catalogue/catalogue.ts';

/**
 * Upstream's scheme has the source position of its construction as its name. The name is part of error messages, so
 * ours is the same.
 */
const schemeName = 'pkg/runtime/scheme.go:111';

/** Returns codecs for JSON, YAML and protobuf of every built-in kind. */
export function newCodecFactory(catalogue: Catalogue = Catalogue.builtIn()): CodecFactory {
  return new CodecFactory({ name: schemeName, resolve: (gvk) => catalogue.kind(gvk)?.schema });
}
