package arenapgx

// ScanError returns the error of a row's Scan in the installed version of pgx.
var ScanError = scanError
