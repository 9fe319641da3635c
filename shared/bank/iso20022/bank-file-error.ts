/** What is wrong with a file of the bank's: a sentence that says what and where, for whoever reads the note beside it. */
export class BankFileError extends Error {
  override readonly name = "BankFileError";
}
