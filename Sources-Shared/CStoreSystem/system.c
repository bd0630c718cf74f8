#include "CStoreSystem.h"
int store_placeholder(void){return 1;}
