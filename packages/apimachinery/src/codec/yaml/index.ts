export { splitYamlDocuments } from './documents.ts';
export { stringifyYaml } from './emitter.ts';
export { type ParsedYaml, parseYaml, parseYamlInSteps } from './parse.ts';
export { YamlError } from './yaml-error.ts';
