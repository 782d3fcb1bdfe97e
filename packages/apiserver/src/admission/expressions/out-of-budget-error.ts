/** There is nothing left to pay for the expressions that are left. */
export class OutOfBudgetError extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}
