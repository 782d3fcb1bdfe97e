export { type SubPath, SubPaths } from './sub-paths.ts';
