/** Whether something resolves within some milliseconds. */
export function within(event: Promise<void>, ms: number): Promise<'yes' | 'no'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve('no');
    }, ms);
    void event.then(() => {
      clearTimeout(timer);
      resolve('yes');
    });
  });
}
