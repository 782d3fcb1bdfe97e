/**
 * The schema of a custom resource at work: pruning, defaulting and validating its objects, and what apply must know of
 * it. What it consists of is in `@coxswain/api`, `apiextensions/schema/`.
 */
export { type CustomResourceSchema, compileCustomResourceSchema } from './custom-resource-schema.ts';
