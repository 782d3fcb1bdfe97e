export { compileGoRegexp } from './compile-go-regexp.ts';
export { GoRegexp } from './go-regexp.ts';
export { GoRegexpBudgetError, StepBudget } from './step-budget.ts';
export { GoRegexpError } from './syntax.ts';
