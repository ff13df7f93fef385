/** Prints the findings of a check, and makes the process exit with 1 if there are any. */
export function report(subject: string, problems: readonly string[]): void {
  for (const problem of problems) console.error(problem);
  console.log(`${subject}: ${problems.length === 0 ? 'no problem' : `${problems.length} found`}.`);
  if (problems.length > 0) process.exitCode = 1;
}
