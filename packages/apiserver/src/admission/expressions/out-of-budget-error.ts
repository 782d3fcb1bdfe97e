/** The cost budget is exhausted. */
export class OutOfBudgetError extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}
