package arenapgx

// ScanError is what a row's Scan returns in the installed version of pgx.
var ScanError = scanError
