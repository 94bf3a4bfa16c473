/** The value of an expression of numbers, `+ - * /` and parentheses, as in SQL: `5 * 60`, `3000 / 1000`. NaN: it is something else. */
export function numberIn(expression: string): number {
  const tokens = expression.match(/(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\S/gi) ?? [];
  const takes = (...operators: readonly string[]): string | undefined =>
    operators.includes(tokens[0] ?? '') ? tokens.shift() : undefined;

  function sum(): number {
    let value = product();
    for (let operator = takes('+', '-'); operator !== undefined; operator = takes('+', '-'))
      value += operator === '+' ? product() : -product();
    return value;
  }

  function product(): number {
    let value = factor();
    for (let operator = takes('*', '/'); operator !== undefined; operator = takes('*', '/'))
      value = operator === '*' ? value * factor() : value / factor();
    return value;
  }

  function factor(): number {
    if (takes('-') !== undefined) return -factor();
    if (takes('(') === undefined) return Number(tokens.shift() ?? NaN);
    const value = sum();
    return takes(')') === undefined ? NaN : value;
  }

  const value = sum();
  return tokens.length === 0 ? value : NaN;
}
